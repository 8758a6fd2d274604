import type { ExtrasContext } from "../extras_context.ts";

export interface SwitchOptions {
  /** Of its key in the tab's storage. */
  readonly name: string;
  readonly textId: number;
  readonly icon: string;
  readonly isOffered: () => boolean;
}

/**
 * A switch in the menu, off until the visitor presses it, and remembered for the tab. Nothing is stored
 * before. Returns whether it is on.
 */
export function addSwitch(
  { t, changed, menuItems }: ExtrasContext,
  { name, textId, icon, isOffered }: SwitchOptions,
): () => boolean {
  const key = `service-widget:${name}`;
  /** If storage is blocked, the switch lives in memory. */
  const inTab = (act: (tab: Storage) => unknown) => {
    try {
      return act(sessionStorage);
    } catch {
      return "";
    }
  };
  let isOn = !!inTab((tab) => tab.getItem(key));
  menuItems.push(() =>
    isOffered() && {
      label: t(textId),
      icon,
      isPressed: isOn,
      onPress() {
        isOn = !isOn;
        inTab((tab) => tab.setItem(key, isOn ? "on" : ""));
        changed(false);
      },
    }
  );
  return () => isOn && isOffered();
}
