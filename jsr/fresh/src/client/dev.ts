/**
 * The browser runtime of development builds: the islands, and reloading after a restart.
 * @module
 */
export { boot } from "./boot.ts";

let known: string | undefined;

new EventSource("/_frsh/alive").addEventListener("message", ({ data }) => {
  if (known !== undefined && known !== data) location.reload();
  known = data;
});
