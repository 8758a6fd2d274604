interface Signature {
  /** What it is, to be read after "this is". */
  what: string;
  bytes: number[];
  /** Where they stand; 0 unless told. */
  at?: number;
}

/** How files begin that people take for documents. */
const SIGNATURES: Signature[] = [
  { what: "a ZIP archive, or an Office document, which is one", bytes: [0x50, 0x4b, 0x03, 0x04] },
  { what: "an empty ZIP archive", bytes: [0x50, 0x4b, 0x05, 0x06] },
  { what: "an old Office document", bytes: [0xd0, 0xcf, 0x11, 0xe0] },
  { what: "a gzip archive", bytes: [0x1f, 0x8b] },
  { what: "a 7-Zip archive", bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { what: "a RAR archive", bytes: [0x52, 0x61, 0x72, 0x21, 0x1a] },
  { what: "an xz archive", bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { what: "a Zstandard archive", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { what: "a PNG picture", bytes: [0x89, 0x50, 0x4e, 0x47] },
  { what: "a JPEG picture", bytes: [0xff, 0xd8, 0xff] },
  { what: "a GIF picture", bytes: [0x47, 0x49, 0x46, 0x38] },
  { what: "a video", bytes: [0x66, 0x74, 0x79, 0x70], at: 4 },
  { what: "a program", bytes: [0x7f, 0x45, 0x4c, 0x46] },
  { what: "a WebAssembly program", bytes: [0x00, 0x61, 0x73, 0x6d] },
  { what: "an SQLite database", bytes: [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66] },
  { what: "an RTF document", bytes: [0x7b, 0x5c, 0x72, 0x74, 0x66] },
];

/** What kind of file `bytes` begins as, where that is none we read. */
export function foreignKind(bytes: Uint8Array): string | undefined {
  return SIGNATURES.find(({ bytes: wanted, at = 0 }) =>
    wanted.every((byte, n) => bytes[at + n] === byte)
  )?.what;
}
