"""Makes docs/page.png, the picture of the page in the README, from examples/clinics:

    KINFOLK=target/debug/kinfolk python peers/picture.py
"""

import base64
import tempfile
from pathlib import Path

from conftest import FLAGS, ROOT, resize, run
from selenium import webdriver
from selenium.webdriver.chrome.service import Service


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "page.html"
        run("report", *sorted((ROOT / "examples" / "clinics").glob("*.csv")), "--out", page)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in [*FLAGS, "--hide-scrollbars", f"--user-data-dir={folder}/profile"]:
            options.add_argument(flag)
        browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        resize(browser, 1280, 800)
        browser.get(page.as_uri())
        # The marks of the other data sets are drawn a few at a time.
        browser.execute_async_script("setTimeout(arguments[0], 1000)")
        shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        browser.quit()
    (ROOT / "docs" / "page.png").write_bytes(base64.b64decode(shot))


if __name__ == "__main__":
    main()
