import { addWords, t as translate, type Key } from '../../i18n';
import { canvas } from '../../i18n/en/canvas';
import { editor } from '../../i18n/en/editor';

addWords({ ...canvas, ...editor });

/** As `t` of the page, with the texts of the canvas and its editor, which are loaded with whatever imports this. */
export const t = (key: Key, values?: Record<string, string | number>): string => translate(key, values);
