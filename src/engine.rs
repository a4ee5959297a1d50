//! The simulation: time, chance, event list, actors, network, metrics and trace.
