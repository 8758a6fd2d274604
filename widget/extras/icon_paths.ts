/** Icons of several features, on a grid of 24 pixels. */

export const CROSS = "m6.5 6.5 11 11m0-11-11 11";
export const PENCIL = "M4 20v-4L16 4l4 4L8 20z";
/** A turn around: once more. */
export const AGAIN = "M4 12a8 8 0 1 0 2.5-5.8M4 4v4.5h4.5";
