//! The colours of the canvas, read from the style sheet when they change and not while drawing.

use super::browser;

/// Colours and font of everything painted.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Theme {
    /// Text and marks.
    pub foreground: String,
    /// Background of cards.
    pub panel: String,
    /// Lines.
    pub line: String,
    /// Second to the rest.
    pub muted: String,
    /// Control and progress.
    pub accent: String,
    /// Harm.
    pub bad: String,
    /// Outline of a message without a group.
    pub token: String,
    /// Font family.
    pub font: String,
    /// Root font size against 16 pixels.
    pub text_scale: f64,
    groups: Vec<String>,
}

impl Theme {
    /// Reads the colours in force now.
    pub fn read() -> Self {
        let style =
            browser::root().and_then(|root| browser::window()?.get_computed_style(&root).ok()?);
        let read = |name: &str| {
            let value = style
                .as_ref()
                .and_then(|style| style.get_property_value(name).ok());
            value.unwrap_or_default().trim().to_owned()
        };
        // Read by the browser: reading floats in Rust would add twelve kilobytes of tables to the page.
        let root_font = Some(js_sys::parse_float(&read("font-size")));
        let root_font = root_font.filter(|size| size.is_finite()).unwrap_or(16.0);
        Self {
            foreground: read("--fg"),
            panel: read("--panel"),
            line: read("--line"),
            muted: read("--mut"),
            accent: read("--acc"),
            bad: read("--bad"),
            token: read("--tok"),
            font: read("font-family"),
            text_scale: root_font / 16.0,
            groups: (0..)
                .map(|number| read(&format!("--group-{number}")))
                .take_while(|colour| !colour.is_empty())
                .collect(),
        }
    }

    /// The colour of a group; groups beyond the palette share colours.
    pub fn group(&self, number: u8) -> &str {
        let count = self.groups.len().max(1);
        self.groups
            .get(usize::from(number) % count)
            .map_or(&self.token, |colour| colour)
    }
}
