/** Serves the store in the file of the first argument on the socket of the second, and prints a line. */
import { serveStore } from "@/lib/store/shared/store_server.ts";

const [file, path] = Deno.args;
const kv = await Deno.openKv(file);
const listener = Deno.listen({ transport: "unix", path: path! });
console.log("0");
for await (const conn of listener) void serveStore(kv, conn);
