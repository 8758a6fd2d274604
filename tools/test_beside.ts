/**
 * `deno task test:beside`: runs the tests that may run beside others, in parallel and in groups. Exits
 * with 1 if one fails.
 */
import { ALONE, listTests, runGroups } from "./test_groups.ts";

Deno.chdir(`${import.meta.dirname}/..`);
const files = (await listTests()).filter((file) => !ALONE.test(file));
Deno.exit(await runGroups(files) ? 0 : 1);
