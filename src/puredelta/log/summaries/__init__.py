"""What is written of a version so that it opens sooner: checkpoints and checksums."""
