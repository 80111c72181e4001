"""Which files a corpus leaves out before reading them, by name and size, and the limits it keeps."""

from __future__ import annotations

from ..retrieval.secrets import is_secret
from ..state.source import LeftOutReason

MAX_FILE_BYTES = 2_000_000
MAX_DATA_BYTES = 200_000
"""For formats that machines write: a large one says little about where to work."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BINARY_SUFFIXES = _words(
    """
    png jpg jpeg jpe gif bmp ico icns cur tif tiff webp avif heic psd xcf jp2 tga exr hdr dds ktx
    mp3 wav ogg oga opus flac m4a aac wma mid midi mp4 m4v mov avi mkv webm wmv mpg mpeg swf flv
    ttf otf woff woff2 eot pfb pfm ttc
    zip tar gz tgz z bz2 tbz tbz2 xz txz lzma zst lz lz4 7z rar br cab whl egg gem deb rpm dmg iso msi apk aab ipa
    nupkg crx xpi jar war ear aar phar
    pdf dvi djvu epub mobi docx docm xlsx xlsm xls pptx ppt odt ods odp odg
    pyc pyo pyd class so dll dylib exe o obj a pdb wasm elc beam rlib rmeta gch pch dsym snk
    db sqlite sqlite3 db3 mdb accdb mmdb dbf shp shx frm ibd rdb ldb
    npy npz h5 hdf5 hdf he5 nc grib grb mat fits fit fts sav rds rdata parquet feather arrow orc avro pkl pickle joblib
    pt pth onnx safetensors gguf ggml ckpt tflite mlmodel caffemodel weights pb tfrecord bin
    mo gmo swp swo blend fbx glb stl 3ds dwg pcap pcapng dmp tfm
    """
)

DATA_SUFFIXES = _words(
    """
    csv tsv psv json jsonl ndjson json5 geojson topojson xml xsd svg po pot xlf xliff resx plist lock ipynb log out har
    map dat data snap yaml yml html htm sql vcf fasta ics rdf ttl nt owl gml kml gpx dot txtpb pbtxt
    """
)


def left_out_reason(path: str, size: int) -> LeftOutReason | None:
    """Why a regular file is not worth reading, judged by its name and size in bytes; None when it is."""
    if not path.isascii() and not _decodable(path):
        return LeftOutReason.UNDECODABLE_NAME
    if is_secret(path):
        return LeftOutReason.SECRET
    suffix = _suffix(path)
    if suffix in BINARY_SUFFIXES:
        return LeftOutReason.BINARY
    if size > MAX_DATA_BYTES and size > size_limit(path):
        return LeftOutReason.TOO_LARGE
    return None


def size_limit(path: str) -> int:
    """The largest size in bytes at which a file of this name is read."""
    return MAX_DATA_BYTES if _suffix(path) in DATA_SUFFIXES else MAX_FILE_BYTES


def _decodable(path: str) -> bool:
    """Whether a path is text: a name that is no UTF-8 cannot be written to JSON or to a checkpoint."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _suffix(path: str) -> str:
    before, _, suffix = path.rpartition(".")
    return suffix.lower() if before else ""
