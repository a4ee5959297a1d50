//! Colours by role, for light and dark, and the style sheet that carries them.
//!
//! Blue is control and progress, red is harm, amber is advice; groups have colours of their own beside their letter.

use std::fmt::Write as _;

/// Light or dark.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Theme {
    /// Dark letters on a light page.
    #[default]
    Light,
    /// Light letters on a dark page.
    Dark,
}

/// The colours of one theme, as `#rrggbb`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Palette {
    /// The page.
    pub bg: &'static str,
    /// Panels and cards.
    pub panel: &'static str,
    /// Text and strong marks.
    pub fg: &'static str,
    /// Text second to the rest.
    pub muted: &'static str,
    /// Decorative edges, rails and wires.
    pub line: &'static str,
    /// Edges of controls, which must be seen.
    pub edge: &'static str,
    /// Soft areas: queues, buttons.
    pub soft: &'static str,
    /// Control and progress.
    pub accent: &'static str,
    /// Harm.
    pub bad: &'static str,
    /// Advice.
    pub warn: &'static str,
    /// Background of advice.
    pub warn_bg: &'static str,
    /// Outline of tokens without a group.
    pub token: &'static str,
    /// Outlines and letter discs of groups; the letter has the panel's colour.
    pub groups: [&'static str; 8],
}

impl Theme {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// Its name in class names and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Its colours.
    pub const fn palette(self) -> &'static Palette {
        match self {
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }
}

const LIGHT: Palette = Palette {
    bg: "#f4f5f7",
    panel: "#ffffff",
    fg: "#1b2330",
    muted: "#566172",
    line: "#d6dce5",
    edge: "#7d899b",
    soft: "#eef1f5",
    accent: "#2454d6",
    bad: "#b3261e",
    warn: "#8a5a00",
    warn_bg: "#fff4d9",
    token: "#3c485a",
    groups: [
        "#0072b2", "#b35c00", "#007a5a", "#7b4fb5", "#a8428f", "#5e6b00", "#006f83", "#7a5c45",
    ],
};

const DARK: Palette = Palette {
    bg: "#10141b",
    panel: "#181e28",
    fg: "#e8edf5",
    muted: "#9aa7ba",
    line: "#323c4c",
    edge: "#6e7c91",
    soft: "#212937",
    accent: "#7aa2ff",
    bad: "#ff8a80",
    warn: "#ffcf70",
    warn_bg: "#3a2f14",
    token: "#b9c4d6",
    groups: [
        "#4fa8e0", "#e0964a", "#3dbe95", "#b08ce8", "#e07cc4", "#b4be4a", "#3db8cc", "#c9a489",
    ],
};

impl Palette {
    /// Names and values as custom properties: `("bg", "#f4f5f7")` is `--bg`.
    pub fn properties(&self) -> Vec<(String, &'static str)> {
        let roles = [
            ("bg", self.bg),
            ("panel", self.panel),
            ("fg", self.fg),
            ("mut", self.muted),
            ("line", self.line),
            ("edge", self.edge),
            ("soft", self.soft),
            ("acc", self.accent),
            ("bad", self.bad),
            ("warn", self.warn),
            ("warnbg", self.warn_bg),
            ("tok", self.token),
        ];
        let roles = roles.map(|(name, value)| (name.to_owned(), value));
        let groups = self.groups.into_iter().enumerate();
        roles
            .into_iter()
            .chain(groups.map(|(i, value)| (format!("group-{i}"), value)))
            .collect()
    }

    /// The colour of a group.
    pub fn group(&self, colour: super::scene::GroupColour) -> &'static str {
        let index = usize::from(colour.0) % self.groups.len();
        self.groups.get(index).copied().unwrap_or(self.token)
    }
}

/// The style sheet `static/palette.css`: light, or dark where the system asks for it; `data-theme` on the root
/// element decides over both.
pub fn style_sheet() -> String {
    let light = block(":root", Theme::Light, "");
    let system = block(":root:not([data-theme])", Theme::Dark, "  ");
    let dark = block(":root[data-theme=\"dark\"]", Theme::Dark, "");
    format!(
        "/* Written by `present::palette::style_sheet`; a test keeps it current. */\n\
         {light}@media (prefers-color-scheme: dark) {{\n{system}}}\n{dark}"
    )
}

fn block(selector: &str, theme: Theme, indent: &str) -> String {
    let mut css = format!(
        "{indent}{selector} {{\n{indent}  color-scheme: {};\n",
        theme.name()
    );
    for (name, value) in theme.palette().properties() {
        let _ = writeln!(css, "{indent}  --{name}: {value};");
    }
    let _ = writeln!(css, "{indent}}}");
    css
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
            let share = f64::from(value) / 255.0;
            if share <= 0.04045 {
                share / 12.92
            } else {
                libm::pow((share + 0.055) / 1.055, 2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_has_a_contrast_of_four_and_a_half_on_all_it_stands_on() {
        for theme in Theme::ALL {
            let p = theme.palette();
            for text in [p.fg, p.muted, p.bad, p.warn, p.accent] {
                for ground in [p.bg, p.panel, p.soft] {
                    let found = contrast(text, ground);
                    assert!(found >= 4.5, "{theme:?}: {text} on {ground} has {found:.2}");
                }
            }
            let on_colour = [
                (p.warn, p.warn_bg),
                (p.fg, p.warn_bg),
                (p.panel, p.accent),
                (p.panel, p.fg),
            ];
            for (text, ground) in on_colour {
                assert!(
                    contrast(text, ground) >= 4.5,
                    "{theme:?}: {text} on {ground}"
                );
            }
            for group in p.groups {
                assert!(
                    contrast(p.panel, group) >= 4.5,
                    "{theme:?}: letter on {group}"
                );
            }
        }
    }

    #[test]
    fn marks_have_a_contrast_of_three() {
        for theme in Theme::ALL {
            let p = theme.palette();
            let marks = [p.token, p.accent, p.bad, p.fg, p.edge];
            for mark in marks.into_iter().chain(p.groups) {
                for ground in [p.panel, p.soft] {
                    let found = contrast(mark, ground);
                    assert!(found >= 3.0, "{theme:?}: {mark} on {ground} has {found:.2}");
                }
            }
        }
    }

    #[test]
    fn the_style_sheet_of_the_page_has_these_colours() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/static/palette.css");
        let found = std::fs::read_to_string(path).unwrap_or_default();
        if found != style_sheet() {
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                std::fs::write(path, style_sheet()).unwrap();
            } else {
                panic!(
                    "static/palette.css differs; write it with UPDATE_GOLDEN=1 cargo test palette"
                );
            }
        }
    }
}
