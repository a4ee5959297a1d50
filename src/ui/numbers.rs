//! The three numbers of the simple view.

use yew::prelude::*;

/// One number.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    /// What is counted.
    pub label: &'static str,
    /// How many.
    pub now: AttrValue,
    /// How many it was without the change.
    pub before: Option<AttrValue>,
    /// Whether it means harm.
    pub harm: bool,
}

/// The numbers' properties.
#[derive(Properties, PartialEq)]
pub struct NumbersProps {
    /// They.
    pub numbers: Vec<Number>,
}

/// The numbers.
#[component]
pub fn Numbers(props: &NumbersProps) -> Html {
    html! {
        <dl class="numbers">
            for number in &props.numbers {
                <div class={classes!("number", number.harm.then_some("number--harm"))}>
                    <dt>{ number.label }</dt>
                    <dd>
                        { &number.now }
                        if let Some(before) = &number.before {
                            <span class="number__before">{ format!("before {before}") }</span>
                        }
                    </dd>
                </div>
            }
        </dl>
    }
}
