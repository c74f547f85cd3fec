"""A script for a browser: which words of the labels of a page are broken over two lines."""

BROKEN_WORDS = """() => {
  const broken = [];
  for (const label of document.querySelectorAll("button, .level span, .level small, summary")) {
    const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/[\\p{L}]+/gu)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(word[0]);
      }
    }
  }
  return broken;
}"""

UNNAMED_FIELDS = """[...document.querySelectorAll('input:not([type=hidden]), button, select')]
  .filter((field) => !(field.labels?.length || field.textContent.trim())).length"""
"""How many fields of a page have no name that a screen reader can say."""
