"""From a finished run to waveforms that other people's tools read: the command tendex-waves."""
