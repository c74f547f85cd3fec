"""Sets from what a chatbot's team has already: exports of traces, conversations and scores of other tools."""
