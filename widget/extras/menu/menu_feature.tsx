/** The sheet over the messages, and in it the menu behind the button "More". */
import { MORE } from "../../string_ids.ts";
import { type ExtrasContext, type MenuItem, showSheet } from "../extras_context.ts";
import { MENU, OVER, type Slot } from "../slot.ts";
import { CROSS } from "../icon_paths.ts";
import { Icon, IconButton } from "../IconButton.tsx";
import { CLOSE } from "./menu_ids.ts";

export function menuFeature(context: ExtrasContext): Slot {
  const { ui, t, menuItems } = context;
  const close = () => showSheet(context, undefined);
  const renderItem = ({ label, icon, isPressed, onPress }: MenuItem) => {
    const press = () => {
      close();
      onPress();
    };
    return (
      <button type="button" class="item" aria-pressed={isPressed} onClick={press}>
        <Icon path={icon} />
        {label}
        {isPressed && <Icon path="m5 12.5 4.5 4.5L19 7.5" />}
      </button>
    );
  };
  const menu = {
    get label() {
      return ui.locale.t(MORE);
    },
    render() {
      const items = menuItems.map((item) => item());
      return <div>{items.map((item) => item && renderItem(item))}</div>;
    },
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.isComposing) return;
    // The panel stays open.
    event.stopPropagation();
    close();
  };
  return (place) => {
    const { sheet } = context;
    if (place === MENU) showSheet(context, sheet ? undefined : menu);
    /** The first button, after the one that closes. A ref of its own for each draw. */
    const takeFocus = (element: HTMLElement | null) => {
      if (!element || !context.takesFocus) return;
      context.takesFocus = false;
      const all = element.querySelectorAll<HTMLElement>("button, input, textarea, a");
      (all[1] ?? all[0])!.focus({ preventScroll: true });
    };
    return place === OVER && sheet && (
      <div
        class="sheet"
        role="group"
        aria-label={sheet.label}
        ref={takeFocus}
        onKeyDown={onKeyDown}
      >
        <div class="sheet-head">
          <b>{sheet.label}</b>
          <IconButton label={t(CLOSE)} icon={CROSS} look="tool" onPress={close} />
        </div>
        {sheet.render()}
      </div>
    );
  };
}
