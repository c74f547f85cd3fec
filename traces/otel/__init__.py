"""OpenTelemetry: OTLP files as samples, and scores as `gen_ai.evaluation.result` events."""
