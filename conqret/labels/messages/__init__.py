"""The words of the pages for annotators, a file a language (:mod:`conqret.labels.page_messages`)."""
