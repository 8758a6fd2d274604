/** Defined by the bundler. */
declare const WIDGET_CSS: string;

export const STYLE_SHEET: string = WIDGET_CSS;
