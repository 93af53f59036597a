"""Make files of several formats."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def zipped(**members: str | bytes) -> bytes:
    """Return a ZIP archive; in names __ stands for the slash, and _ for the dot."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return made.getvalue()


def xlsx(*sheets: list[list[str | int]]) -> bytes:
    """Return a workbook with these rows in its sheets, which are called Sheet1 and so on."""
    office = "http://schemas.openxmlformats.org"
    main = f"{office}/spreadsheetml/2006/main"
    numbers = range(1, len(sheets) + 1)
    names = "".join(f'<sheet name="Sheet{number}" sheetId="{number}" r:id="r{number}"/>' for number in numbers)
    links = "".join(
        f'<Relationship Id="r{number}" Target="worksheets/s{number}.xml"'
        f' Type="{office}/officeDocument/2006/relationships/worksheet"/>'
        for number in numbers
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{office}/package/2006/content-types"/>')
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{office}/package/2006/relationships"><Relationship Id="r1" Target="xl/workbook.xml"'
            f' Type="{office}/officeDocument/2006/relationships/officeDocument"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{office}/officeDocument/2006/relationships">'
            f"<sheets>{names}</sheets></workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{office}/package/2006/relationships">{links}</Relationships>',
        )
        for number, rows in enumerate(sheets, 1):
            cells = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
            sheet = f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>'
            archive.writestr(f"xl/worksheets/s{number}.xml", sheet)
    return made.getvalue()


def _cell(value: str | int) -> str:
    return f"<c><v>{value}</v></c>" if isinstance(value, int) else f'<c t="inlineStr"><is><t>{value}</t></is></c>'


def epub(chapter: str = "<h1>One</h1><p>The zebra.</p>", date: str = "2026-01-02") -> bytes:
    return zipped(
        mimetype="application/epub+zip",
        **{
            "META-INF__container_xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
            "OPS__book_opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            "<metadata>"
            f"<dc:title>The book</dc:title><dc:creator>Ana</dc:creator><dc:date>{date}</dc:date></metadata>"
            '<manifest><item id="a" href="one%20a.xhtml"/><item id="b" href="two.xhtml"/></manifest>'
            '<spine><itemref idref="b"/><itemref idref="a"/></spine></package>',
            "OPS__one a_xhtml": f"<html><head><title/></head><body>{chapter}</body></html>",
            "OPS__two_xhtml": "<html><body><h1>Zero</h1><p>Before.</p></body></html>",
        },
    )


def docx(paragraphs: str = "", parts: Mapping[str, str] | None = None) -> bytes:
    """Return a DOCX; `parts` holds further files by name, such as word/comments.xml."""
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{word}" xmlns:m="{MATH}"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
            f"<w:r><w:t>Animals</w:t></w:r></w:p><w:p><w:r><w:t>The zebra.</w:t></w:r></w:p>"
            f"{paragraphs}</w:body></w:document>",
        )
        archive.writestr(
            "word/styles.xml",
            f'<w:styles xmlns:w="{word}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/>'
            "</w:style></w:styles>",
        )
        archive.writestr(
            "docProps/core.xml",
            '<c:coreProperties xmlns:c="x" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Of animals</dc:title>'
            "<dc:creator>Ana</dc:creator></c:coreProperties>",
        )
        for name, content in (parts or {}).items():
            archive.writestr(name, content)
    return made.getvalue()


def pdf(*pages: str) -> bytes:
    """Return a PDF with these pages; a line feed ends each line."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for text in pages:
        lines = " ".join(f"({line}) Tj T*" for line in text.splitlines())
        stream = f"BT /F1 12 Tf 14 TL 72 700 Td {lines} ET" if text else ""
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R"
            " /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()
