/** Defined by the bundler: the launcher's style sheet in its file, the panel's in its own. */
declare const WIDGET_CSS: string;

/** A constructed sheet works without `style-src 'unsafe-inline'` in the page's CSP. */
export function styleSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(WIDGET_CSS);
  return sheet;
}
