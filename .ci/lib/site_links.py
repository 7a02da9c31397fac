"""Checks every link between the pages of a site: python3 site_links.py FOLDER

Exits with 1 and names each link whose file or anchor does not exist. Links to other sites are not followed.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def main(folder):
    root = Path(folder).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in root.rglob("*.html")}
    faults, checked = [], 0
    for path, page in pages.items():
        # The page for missing addresses has its links from the root of the site.
        base = root if path.name == "404.html" else path.parent
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            checked += 1
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                faults.append(f"{path.relative_to(root)}: {link}: no such file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                faults.append(f"{path.relative_to(root)}: {link}: no such anchor")
    print("\n".join(faults) or f"{checked} links of {len(pages)} pages lead somewhere")
    return 1 if faults or not checked else 0


sys.exit(main(sys.argv[1]))
