import type { Publication } from "@/lib/schemas/publication.ts";

/** The hidden fields of a form of the page; it is rejected if the publication has another revision. */
export function PublishFields(
  { revision, change, mode, version }: {
    revision: number;
    change: "publish" | "canary" | "end_canary" | "gate";
    mode?: Publication["mode"];
    version?: number;
  },
) {
  return (
    <>
      <input type="hidden" name="revision" value={revision} />
      <input type="hidden" name="change" value={change} />
      {mode !== undefined && <input type="hidden" name="mode" value={mode} />}
      {version !== undefined && <input type="hidden" name="version" value={version} />}
    </>
  );
}
