import { assertEquals } from "@std/assert";
import { flashMessageOf, withFlashMessage } from "./flash_messages.ts";

const url = (path: string) => new URL(path, "http://localhost");

Deno.test("flashMessageOf: finds a message by name and ignores unknown names", () => {
  const saved = { kind: "done", text: "Changes saved." } as const;
  assertEquals(flashMessageOf(url(withFlashMessage("/agents/1", "agent_saved"))), saved);
  for (const name of ["", "toString", "<b>hello</b>"]) {
    assertEquals(flashMessageOf(url(`/agents?notice=${encodeURIComponent(name)}`)), undefined);
  }
});

Deno.test("flashMessageOf: a form submitted twice gives a warning", () => {
  for (const name of ["key_made_before", "link_made_before", "tenant_made_before"] as const) {
    assertEquals(flashMessageOf(url(withFlashMessage("/team", name)))?.kind, "warning");
  }
});
