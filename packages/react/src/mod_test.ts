import { assertEquals } from "@std/assert";
import type { WidgetHandle as RealHandle } from "../../../widget/handle.ts";
import type { WidgetHandle } from "./mod.d.ts";
import { ATTRIBUTES } from "./widget_script.ts";

Deno.test("mod.d.ts: declares what mod.ts exports", async () => {
  const declared: typeof import("./mod.d.ts") = await import("./mod.ts");
  assertEquals(Object.keys(declared).toSorted(), ["ChatWidget", "useAgentChat"]);
});

Deno.test("mod.d.ts: the widget has every method that it declares, and no other", () => {
  const same = [
    (handle: RealHandle): WidgetHandle => handle,
    (handle: WidgetHandle): RealHandle => handle,
  ];
  assertEquals(same.length, 2);
});

Deno.test("ChatWidget: has a prop for every attribute of the script tag in docs/embedding.md", async () => {
  const docs = await Deno.readTextFile(new URL("../../../docs/embedding.md", import.meta.url));
  const documented = [...docs.matchAll(/^\| `data-([a-z-]+)`/gm)].map(([, name]) =>
    name!.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  );
  assertEquals(["serviceWidget", ...ATTRIBUTES].toSorted(), documented.toSorted());
});
