// The files of the page `inspect`, written by `npm run page` in clients/inspector.
&[
    ("icon.svg", "image/svg+xml; charset=utf-8", include_str!("inspect/icon.svg")),
    ("index.html", "text/html; charset=utf-8", include_str!("inspect/index.html")),
    ("page.css", "text/css; charset=utf-8", include_str!("inspect/page.css")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("inspect/page.js")),
    ("preact.LICENSE.txt", "text/plain; charset=utf-8", include_str!("inspect/preact.LICENSE.txt")),
]
