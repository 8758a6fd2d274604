/** The keyboard shortcuts of all pages. */
export function ShortcutList() {
  const shortcuts: readonly (readonly [keys: readonly string[], text: string])[] = [
    [["Ctrl", "K"], "Search and commands"],
    [["Ctrl", "S"], "Save the agent"],
    [["J"], "Next conversation"],
    [["K"], "Previous conversation"],
    [["Esc"], "Close a dialog"],
    [["?"], "Show this list"],
  ];
  return (
    <div class="dialog-body">
      <h2>Keyboard shortcuts</h2>
      <dl class="shortcut-list">
        {shortcuts.map(([keys, text]) => (
          <div key={text}>
            <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button class="button" type="submit">Close</button>
      </form>
    </div>
  );
}
