"""A watch on a chatbot in production: pull, judge a sample, push, estimate, raise an alarm."""
