/** The sheet over the messages, and in it the menu behind the button "More". */
import { MORE } from "../../string_ids.ts";
import { type ExtrasContext, type MenuItem, showSheet } from "../extras_context.ts";
import { MENU, OVER, type Slot } from "../slot.ts";
import { Icon } from "../IconButton.tsx";
import { CLOSE } from "./menu_ids.ts";

export function menuFeature(context: ExtrasContext): Slot {
  const menu = {
    get label() {
      return context.ui.locale.t(MORE);
    },
    render: () => <Menu context={context} />,
  };
  return (place) => {
    if (place === MENU) showSheet(context, context.sheet ? undefined : menu);
    return place === OVER && context.sheet && <OpenSheet context={context} />;
  };
}

function OpenSheet({ context }: { readonly context: ExtrasContext }) {
  const { sheet, t } = context;
  const close = () => showSheet(context, undefined);
  /** Drawn for the first time: the first button, after the one that closes. */
  const takeFocus = (element: HTMLElement | null) => {
    if (!element || !context.takesFocus) return;
    context.takesFocus = false;
    const all = element.querySelectorAll<HTMLElement>("button, input, textarea, a");
    (all[1] ?? all[0])!.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.isComposing) return;
    // The panel stays open.
    event.stopPropagation();
    close();
  };
  return (
    <div class="sheet" role="group" aria-label={sheet!.label} ref={takeFocus} onKeyDown={onKeyDown}>
      <div class="sheet-head">
        <b>{sheet!.label}</b>
        <button type="button" class="tool" aria-label={t(CLOSE)} title={t(CLOSE)} onClick={close}>
          <Icon path="m6.5 6.5 11 11m0-11-11 11" />
        </button>
      </div>
      {sheet!.render()}
    </div>
  );
}

function Menu({ context }: { readonly context: ExtrasContext }) {
  const items = context.menuItems.map((item) => item()).filter((item) => !!item);
  return (
    <div>
      {items.map((item) => <Item key={item.icon} context={context} item={item} />)}
    </div>
  );
}

function Item({ context, item }: { readonly context: ExtrasContext; readonly item: MenuItem }) {
  const press = () => {
    showSheet(context, undefined);
    item.onPress();
  };
  return (
    <button type="button" class="item" aria-pressed={item.isPressed} onClick={press}>
      <Icon path={item.icon} />
      {item.label}
      {item.isPressed && <Icon path="m5 12.5 4.5 4.5L19 7.5" />}
    </button>
  );
}
