"""Files that appear whole or not at all."""

import pytest

from ursuppe_env.files import write_whole


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "folder" / "file"
    write_whole(path, b"old")
    assert path.read_bytes() == b"old"

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]
