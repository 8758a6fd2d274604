import type { Block } from "../block.ts";
import { cleanText } from "../decode_text.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import { tableOf } from "../parse_csv.ts";
import { formatNumber, type NumberKind, readNumberKinds } from "./number_formats.ts";
import { Archive } from "./open_archive.ts";
import { readXml } from "./read_xml.ts";
import { mainPart, readRelationships } from "./relationships.ts";

/** Excel has 16,384 columns; a hostile cell may claim any. */
const MAX_COLUMNS = 1_024;
const MAX_CELLS = 2_000_000;

interface Sheet {
  name: string;
  part: string;
}

interface Workbook {
  strings: readonly string[];
  kinds: readonly NumberKind[];
  system: 1900 | 1904;
}

/** Each visible sheet of a workbook as a table under its name. Formulas are their last results. */
export function parseXlsx(bytes: Uint8Array): Block[] {
  const archive = new Archive(bytes);
  const main = mainPart(archive, "xl/workbook.xml");
  const { byId, byType } = readRelationships(archive, main);
  const { sheets, system } = readWorkbook(archive.read(main), byId);
  const partOf = (type: string) => archive.read(byType.get(type)?.[0] ?? "");
  const workbook: Workbook = {
    strings: readStrings(partOf("sharedStrings")),
    kinds: readNumberKinds(partOf("styles")),
    system,
  };
  const blocks: Block[] = [];
  let left = MAX_CELLS;
  for (const { name, part } of sheets) {
    const content = archive.read(part);
    if (content === undefined) continue;
    const rows = readRows(content, workbook, left);
    left -= rows.reduce((sum, row) => sum + row.length, 0);
    const table = tableOf(rows);
    if (table.length > 0) blocks.push({ type: "heading", level: 1, text: name }, ...table);
  }
  return blocks;
}

function readWorkbook(content: Uint8Array | undefined, byId: ReadonlyMap<string, string>) {
  const sheets: Sheet[] = [];
  let system: 1900 | 1904 = 1900;
  if (content !== undefined) {
    readXml(content, {
      open(element, { name = "", id = "", state = "visible", date1904 = "0" }) {
        if (element === "workbookPr" && /^(1|true)$/.test(date1904)) system = 1904;
        const part = byId.get(id);
        if (element === "sheet" && state === "visible" && part !== undefined) {
          sheets.push({ name: cleanText(name), part });
        }
      },
    });
  }
  return { sheets, system };
}

/** Texts that cells share. Those of several formats are runs; phonetic hints are left out. */
function readStrings(content: Uint8Array | undefined): string[] {
  const strings: string[] = [];
  if (content === undefined) return strings;
  let text = "";
  let phonetic = false;
  let isText = false;
  readXml(content, {
    open(name) {
      if (name === "si") text = "";
      else if (name === "rPh") phonetic = true;
      else if (name === "t") isText = !phonetic;
    },
    text(part) {
      if (isText) text += part;
    },
    close(name) {
      if (name === "si") strings.push(cleanText(text));
      else if (name === "rPh") phonetic = false;
      else if (name === "t") isText = false;
    },
  });
  return strings;
}

function readRows(content: Uint8Array, workbook: Workbook, maxCells: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = { column: 0, type: "", style: 0, value: "" };
  let isValue = false;
  let cells = 0;
  readXml(content, {
    open(name, { r = "", t = "n", s = "0" }) {
      if (name === "row") row = [];
      else if (name === "c") {
        cell = { column: columnOf(r) ?? row.length, type: t, style: Number(s), value: "" };
      } else if (name === "v" || name === "t") isValue = true;
    },
    text(text) {
      if (isValue) cell.value += text;
    },
    close(name) {
      if (name === "v" || name === "t") isValue = false;
      else if (name === "c" && cell.value !== "" && cell.column < MAX_COLUMNS) {
        if (++cells + cell.column - row.length > maxCells) {
          throw new DocumentParseError("too_long", "it has too many cells; split it up");
        }
        while (row.length < cell.column) row.push("");
        row[cell.column] = valueOf(cell, workbook);
      } else if (name === "row" && row.length > 0) {
        cells += row.length;
        rows.push(row);
        row = [];
      }
    },
  });
  return rows;
}

/** 0 for `A7`, 27 for `AB7`. */
function columnOf(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function valueOf(
  { type, style, value }: { type: string; style: number; value: string },
  { strings, kinds, system }: Workbook,
): string {
  switch (type) {
    case "s":
      return strings[Number(value)] ?? "";
    case "b":
      return value === "1" ? "TRUE" : "FALSE";
    case "n":
      return formatNumber(value, { kind: kinds[style] ?? "number", system });
    default:
      return cleanText(value);
  }
}
