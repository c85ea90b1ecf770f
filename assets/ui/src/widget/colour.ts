/** Colours that pages and owners chose: only what the browser takes as a colour, and what can be read on it. */

type Rgb = [number, number, number];

const DARK_TEXT = '#1b1c22';
const LIGHT_TEXT = '#ffffff';

export function isColour(value: unknown): value is string {
  return typeof value === 'string' && CSS.supports('color', value);
}

/** Red, green and blue of what the browser computed, if it says it that way. */
export function parseRgb(computed: string): Rgb | undefined {
  const found = /^rgba?\(\s*([\d.]+)[, ]+([\d.]+)[, ]+([\d.]+)/.exec(computed);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : undefined;
}

export function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => ((part / 255 + 0.055) / 1.055) ** 2.4) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Dark or light text, whichever stands out more. */
export function textOn(background: Rgb): string {
  const light = luminance(background);
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.0605 ? LIGHT_TEXT : DARK_TEXT;
}

/** What the browser makes of a colour, by asking it. */
export function computed(colour: string, within: HTMLElement): Rgb | undefined {
  const probe = document.createElement('span');
  probe.style.color = colour;
  within.append(probe);
  const result = parseRgb(getComputedStyle(probe).color);
  probe.remove();
  return result;
}
