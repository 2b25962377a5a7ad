"""What the tests of all schematics ask: the words of a picture are within it."""


def assert_texts_are_inside(ax) -> None:
    ax.figure.canvas.draw()
    frame = ax.figure.bbox
    for text in ax.texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 <= box.x1 <= frame.x1, text
        assert frame.y0 <= box.y0 <= box.y1 <= frame.y1, text
