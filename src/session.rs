//! A run over time: commands, checkpoints, seek, fork and playhead.
