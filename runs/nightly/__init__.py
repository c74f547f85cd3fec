"""A night: a suite of sets, metrics and judges, its gates, its reports and its history."""
