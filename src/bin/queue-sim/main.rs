//! The engine without a browser: runs, checks, renders and sweeps scenario files.
//!
//! Exit status: 0 when all is well, 1 when a claim failed or a run stopped before its end, 2 when the input is wrong.

#[cfg(not(target_arch = "wasm32"))]
mod arguments;
#[cfg(not(target_arch = "wasm32"))]
mod check;
#[cfg(not(target_arch = "wasm32"))]
mod model;
#[cfg(not(target_arch = "wasm32"))]
mod names;
#[cfg(not(target_arch = "wasm32"))]
mod output;
#[cfg(not(target_arch = "wasm32"))]
mod range;
#[cfg(not(target_arch = "wasm32"))]
mod render;
#[cfg(not(target_arch = "wasm32"))]
mod run;
#[cfg(not(target_arch = "wasm32"))]
mod summary;
#[cfg(not(target_arch = "wasm32"))]
mod sweep;
#[cfg(not(target_arch = "wasm32"))]
mod trace;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let status = match arguments::parse(&arguments) {
        Ok(arguments::Command::Help) => output::print(arguments::HELP),
        Ok(arguments::Command::Version) => {
            output::print(concat!("queue-sim ", env!("CARGO_PKG_VERSION"), "\n"))
        }
        Ok(arguments::Command::Schema) => output::print(&queue_playground::scenario::schema()),
        Ok(arguments::Command::Names(profile)) => output::print(&names::names(profile)),
        Ok(arguments::Command::Export(file)) => names::export(&file),
        Ok(arguments::Command::Model) => output::print(&model::model()),
        Ok(arguments::Command::Run(options)) => run::run(&options),
        Ok(arguments::Command::Check(options)) => check::check(&options),
        Ok(arguments::Command::Render(options)) => render::render(&options),
        Ok(arguments::Command::Sweep(options)) => sweep::sweep(&options),
        Err(message) => Err(output::Failure::Input(vec![
            message,
            "queue-sim --help tells what there is".into(),
        ])),
    };
    output::exit(status)
}

#[cfg(target_arch = "wasm32")]
fn main() {}
