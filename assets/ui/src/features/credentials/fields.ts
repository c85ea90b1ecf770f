/** From the fields of a credential type to a form, and back to what is sent. */
import type { CredentialField, CredentialType } from '../../api/credentials';
import { isHidden } from '../../core/hidden';

type FieldValue = string | number | boolean | null;
type Stored = Record<string, unknown> | null;

/** What one field of the form holds. `touched` tells what was typed from what was stored. */
export interface Entry {
  text: string;
  on: boolean;
  touched: boolean;
  /** The stored value is to be taken away. */
  removed: boolean;
}

export type Entries = Record<string, Entry>;

/** How the form begins: defaults for a new credential, else what is stored, with secrets left empty. */
export function entriesOf(type: CredentialType, stored: Stored): Entries {
  return Object.fromEntries(
    type.inputs.map((field) => {
      const value = stored ? stored[field.name] : field.default;
      const text = value === undefined || value === null || isHidden(value) ? '' : String(value);
      const entry = { text, on: value === true || value === 'true', touched: !stored, removed: false };
      return [field.name, entry];
    }),
  );
}

export type Problem = 'required' | 'number' | 'url';

/** What is wrong with one field, if anything. */
export function problemOf(field: CredentialField, entry: Entry, stored: Stored): Problem | null {
  if (field.type === 'boolean') return null;
  const text = entry.text.trim();
  const keeps = !entry.touched && stored?.[field.name] !== undefined && stored[field.name] !== '';
  // Optional or not, an address and a user may be empty; a secret that is asked for must be there.
  if (text === '') return field.optional || keeps || field.type !== 'password' ? null : 'required';
  if (field.type === 'number' && Number.isNaN(Number(text))) return 'number';
  if (field.type === 'url' && !/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(text)) return 'url';
  return null;
}

/** What is sent: only what was typed, so that hidden secrets stay as they are. */
export function toSend(type: CredentialType, entries: Entries): Record<string, FieldValue> {
  const sent: Record<string, FieldValue> = {};
  for (const field of type.inputs) {
    const entry = entries[field.name];
    if (entry?.removed) sent[field.name] = null;
    else if (entry?.touched) sent[field.name] = valueOf(field, entry);
  }
  return sent;
}

function valueOf(field: CredentialField, entry: Entry): FieldValue {
  if (field.type === 'boolean') return entry.on;
  const text = field.type === 'password' ? entry.text : entry.text.trim();
  if (text === '' && ['options', 'number'].includes(field.type)) return null;
  return field.type === 'number' ? Number(text) : text;
}
