"""Sets from what a chatbot's team has already: trace exports of other tools, and chat logs."""
