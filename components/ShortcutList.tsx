import { t } from "@/lib/dashboard/texts/translate.ts";
/** The keyboard shortcuts of all pages. */
export function ShortcutList() {
  const shortcuts: readonly (readonly [keys: readonly string[], text: string])[] = [
    [["Ctrl", "K"], t("Search and commands")],
    [["Ctrl", "S"], t("Save the agent")],
    [["J"], t("Next conversation")],
    [["K"], t("Previous conversation")],
    [["Esc"], t("Close a dialog")],
    [["?"], t("Show this list")],
  ];
  return (
    <div class="dialog-body">
      <h2>{t("Keyboard shortcuts")}</h2>
      <dl class="shortcut-list">
        {shortcuts.map(([keys, text]) => (
          <div key={text}>
            <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button class="button" type="submit">{t("Close")}</button>
      </form>
    </div>
  );
}
