import { assert, assertThrows } from "@std/assert";
import { buildWidget } from "./bundle_widget.ts";
import { trimPreact } from "./trim_preact.ts";

Deno.test("trimPreact: the widget has no code of class components, and none that sets HTML", async () => {
  const source = new TextDecoder().decode((await buildWidget()).panel.bytes);
  for (
    const unused of [
      "dangerouslySetInnerHTML",
      "innerHTML",
      ".prototype.render&&",
      "getDerivedStateFromProps",
    ]
  ) {
    assert(!source.includes(unused), unused);
  }
});

Deno.test("trimPreact: throws for a Preact that is written differently", () => {
  assertThrows(() => trimPreact("(() => {})();"), Error, "Preact has changed");
});
