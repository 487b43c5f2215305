"""The words of the pages on which people label, a file a language (:mod:`conqret.labels.page_messages`)."""
