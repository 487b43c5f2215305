"""Which of several judges agrees best with annotators, and what agreement costs."""
