import { type Archive, resolvePath } from "./open_archive.ts";
import { readXml } from "./read_xml.ts";

/** The targets of a part's relationships, by their ids and by the last words of their types. */
export interface Relationships {
  byId: ReadonlyMap<string, string>;
  byType: ReadonlyMap<string, readonly string[]>;
}

/** Of a part of an Office document. External targets and those outside of the archive are left out. */
export function readRelationships(archive: Archive, part: string): Relationships {
  const byId = new Map<string, string>();
  const byType = new Map<string, string[]>();
  const at = part.lastIndexOf("/") + 1;
  const bytes = archive.read(`${part.slice(0, at)}_rels/${part.slice(at)}.rels`);
  if (bytes !== undefined) {
    readXml(bytes, {
      open(name, { Id = "", Type = "", Target = "", TargetMode }) {
        if (name !== "Relationship" || TargetMode === "External") return;
        const target = resolvePath(part, Target);
        if (target === undefined || !archive.names.has(target)) return;
        byId.set(Id, target);
        const type = Type.slice(Type.lastIndexOf("/") + 1);
        const known = byType.get(type);
        if (known === undefined) byType.set(type, [target]);
        else known.push(target);
      },
    });
  }
  return { byId, byType };
}

/** The main part of an Office document. */
export function mainPart(archive: Archive, fallback: string): string {
  return readRelationships(archive, "").byType.get("officeDocument")?.[0] ?? fallback;
}
