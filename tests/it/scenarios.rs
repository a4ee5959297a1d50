//! Scenario files, links and the command line.

mod any_file;
mod brokers;
mod command_line;
mod editing;
mod files;
mod files_of;
mod hostile;
mod links;
mod profiles;
mod sweep_line;
