"""Tests that look for rare faults for as long as they are given; each has a short profile."""
