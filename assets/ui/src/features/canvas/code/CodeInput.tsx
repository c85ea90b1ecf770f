import { useState, type ReactNode } from 'react';
import { CodeField, later, type CodeFieldProps } from '../../../ui';
import type { FieldProps } from '../panel/context';
import { placeOfLine } from './examples';

const TryCode = later(() => import('./TryCode'), null);

export interface CodeInputProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  readOnly: boolean;
  completions: NonNullable<CodeFieldProps['completions']>;
}

/** JavaScript of an input, which can be tried where it is written. */
export function CodeInput(props: CodeInputProps): ReactNode {
  const { param, scope, value, onChange, readOnly, completions } = props;
  const [fault, setFault] = useState<{ code: string; line: number } | null>(null);
  // A fault is of the code that was tried: once that is changed nobody knows.
  const marked = fault?.code === value ? placeOfLine(value, fault.line) : null;
  return (
    <>
      <CodeField
        language="javascript"
        value={value}
        onChange={onChange}
        readOnly={readOnly}
        minLines={8}
        lineNumbers
        fault={marked}
        completions={completions}
      />
      {!readOnly && (
        <TryCode
          code={value}
          name={param.name}
          label={param.label}
          values={scope.values}
          onFault={(line) => setFault(line === null ? null : { code: value, line })}
        />
      )}
    </>
  );
}

/** Code inputs that hold JSON have names that say so; all others are JavaScript. */
export const isJavaScript = (name: string): boolean => !/(Schema|Config)$/.test(name);
