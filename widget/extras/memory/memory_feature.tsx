/** What the agent remembers of the visitor, in the menu if it has a memory. */
import type { Caution } from "../DeleteButton.tsx";
import type { ListView } from "../EditableRow.tsx";
import { type ExtrasContext, showSheet } from "../extras_context.ts";
import { ownList } from "../own_list.ts";
import { WHAT_I_REMEMBER } from "./memory_ids.ts";
import { type Fact, MemorySheet } from "./MemorySheet.tsx";

export function memoryFeature(context: ExtrasContext): undefined {
  const { ui, t, menuItems } = context;
  const show = () => {
    const view: ListView = {};
    const memory = ownList<Fact>({ ...context, base: "memory", query: () => "" });
    const caution: Caution = {};
    const render = () => <MemorySheet {...{ context, memory, view, caution }} />;
    showSheet(context, { label: t(WHAT_I_REMEMBER), render });
    memory.load();
  };
  menuItems.push(() =>
    ui.read("data-offers")?.includes("memory") && {
      label: t(WHAT_I_REMEMBER),
      icon: "M6 4h12v16l-6-4-6 4z",
      onPress: show,
    }
  );
}
