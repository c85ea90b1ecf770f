import js from '@eslint/js';
import a11y from 'eslint-plugin-jsx-a11y';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

// Import direction: app -> features -> (api, ui, core); ui -> core; core -> nothing.
const primitives = {
  group: ['radix-ui', 'radix-ui/*', '@radix-ui/*', 'cmdk'],
  message: 'Only src/ui imports primitives.',
};
const above = (...names) =>
  names.map((name) => ({ group: [`**/${name}/**`, `**/${name}`], message: 'Wrong import direction.' }));
const limits = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

export default tseslint.config(
  { ignores: ['node_modules', '../dist', 'src/api/schema.d.ts', 'e2e/shots'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  a11y.flatConfigs.recommended,
  hooks.configs.flat['recommended-latest'],
  {
    rules: {
      'max-lines': ['error', 500],
      'no-console': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'react-hooks/set-state-in-effect': 'off',
      'jsx-a11y/no-autofocus': 'off',
      'jsx-a11y/label-has-associated-control': ['error', { assert: 'either' }],
      'no-restricted-syntax': [
        'error',
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'No string-built HTML.' },
        {
          selector: "AssignmentExpression[left.property.name='innerHTML']",
          message: 'No string-built HTML.',
        },
      ],
    },
  },
  {
    files: ['scripts/**', '*.js'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', Buffer: 'readonly' } },
    rules: { 'no-console': 'off' },
  },
  {
    files: ['public/theme.js'],
    languageOptions: { globals: { document: 'readonly', localStorage: 'readonly', matchMedia: 'readonly' } },
  },
  { files: ['e2e/**'], rules: { 'no-console': 'off' } },
  { files: ['src/**'], rules: limits(primitives) },
  {
    files: ['src/core/**'],
    rules: limits(primitives, ...above('ui', 'api', 'app', 'features', 'i18n'), {
      group: ['react', 'react-dom'],
      message: 'core holds no React.',
    }),
  },
  {
    files: ['src/i18n/**'],
    rules: limits(primitives, {
      group: ['../ui', '../ui/*', '../api/*', '../app/*', '../features/**'],
      message: 'i18n imports core only.',
    }),
  },
  { files: ['src/ui/**'], rules: limits(...above('api', 'app', 'features')) },
  { files: ['src/api/**'], rules: limits(primitives, ...above('ui', 'app', 'features')) },
  {
    files: ['src/features/**'],
    rules: limits(primitives, ...above('app', 'features'), {
      group: [
        '../../*/*',
        '!../../api/*',
        '!../../ui/*',
        '!../../core/*',
        '!../../i18n/*',
        '!../../styles/*',
      ],
      message: 'A feature does not import another feature.',
    }),
  },
  // A room inside of a feature reaches its own feature and what every feature may reach.
  {
    files: ['src/features/*/*/**'],
    rules: limits(primitives, {
      regex: '^(\\.\\./){2}(?!\\.\\.)|^(\\.\\./){3}(?!(api|ui|core|i18n|styles)(/|$))',
      message: 'A feature does not import another feature.',
    }),
  },
);
