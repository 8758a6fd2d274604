import type { Toolset } from "../../agent/tools/toolset.ts";
import type { Runtime } from "../../system.ts";
import type { ToolTestReport } from "../../wire/tryout.ts";

/** Makes one call of a toolset's tool, or only asks what it offers; closes it. */
export async function testTool(
  toolset: Toolset,
  { call, system, signal }: {
    call: { name: string; args: unknown } | undefined;
    system: Pick<Runtime, "now">;
    signal: AbortSignal;
  },
): Promise<ToolTestReport> {
  const begun = system.now();
  try {
    const described = await toolset.listTools(signal);
    const output = call && { output: await toolset.execute(call.name, call.args, signal) };
    return {
      ...output,
      offered: described.map(({ name, description }) => ({ name, description })),
      ledger: [...toolset.egressCalls],
      notes: [...toolset.notes],
      ms: Math.max(0, system.now() - begun),
    };
  } finally {
    await toolset.close();
  }
}
