"""How Sphinx builds the site; `make site` calls it."""

from importlib import metadata

from tools.mathjax import MATHJAX

project = "shufflekit"
author = "The shufflekit authors"
release = metadata.version("shufflekit")
extensions = ["myst_nb", "tools.site_links"]
root_doc = "index"

# Notebooks are shown as they were saved.
nb_execution_mode = "off"
nb_render_markdown_format = "myst"
nb_merge_streams = True
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
myst_heading_slug_func = "tools.site_links.slug"
# The headings of a notebook may skip a level.
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_title = "shufflekit"
html_static_path = ["_static", str(MATHJAX)]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
# A page opened from a file may not read the other pages to quote them.
html_show_search_summary = False
html_show_copyright = False
html_show_sphinx = False
mathjax_path = MATHJAX.name
# The menu and its helpers would be fetched from other files.
mathjax3_config = {"options": {"enableMenu": False}, "svg": {"fontCache": "global"}}
