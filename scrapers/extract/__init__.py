"""Text out of pages: the kind by sniffing, the charset, the main text of HTML, the text of PDF.

async with Extractor() as extractor:
    result = await extractor.extract(page.body, page.content_type, page.charset)
"""

from conqret.scrapers.extract.document import Extraction, Kind, decode, extract, sniff
from conqret.scrapers.extract.worker_pool import Extractor

__all__ = ["Extraction", "Extractor", "Kind", "decode", "extract", "sniff"]
