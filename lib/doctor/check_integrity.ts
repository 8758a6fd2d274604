import type { ScriptReleaseStore } from "../store/script_release_store.ts";
import type { DoctorReason } from "../schemas/doctor.ts";
import type { Case } from "./case.ts";
import { scriptPath } from "./check_tag.ts";

/** Whether the browser will run the script that the tag names. */
export async function checkIntegrity(
  known: Case,
  releases: Pick<ScriptReleaseStore, "find">,
): Promise<DoctorReason> {
  const { tag, looked, addresses } = known;
  const path = scriptPath(known);
  if (tag === undefined || path === undefined) return looked ? "no_tag" : "not_read";
  const given = tag.get("integrity")?.trim() ?? "";
  if (given === "") return "integrity_missing";
  if (tag.get("crossorigin") === undefined) return "crossorigin_missing";
  const hash = path[1];
  const release = hash === undefined ? undefined : await releases.find("widget", hash);
  if (hash !== undefined && release === undefined) return "release_gone";
  const integrity = release?.integrity ?? addresses.integrity;
  return given.split(/\s+/).includes(integrity) ? "fine" : "integrity_stale";
}
