package dev.patchbay.host;

import java.util.regex.Pattern;

/// A pattern for one component of a path, in the syntax of Go's `filepath.Match`: `*` any
/// characters, `?` one, `[a-c]` and `[^a-c]` one of a set, `\` takes the next character as it is.
/// There is no `**` and no `{}`.
public final class Glob {
  private final String literal;
  private final boolean isLiteral;
  private final Pattern pattern;

  private Glob(String literal, boolean isLiteral, Pattern pattern) {
    this.literal = literal;
    this.isLiteral = isLiteral;
    this.pattern = pattern;
  }

  /// The pattern with this text.
  ///
  /// @throws IllegalArgumentException when it is not well-formed; says where
  public static Glob ofComponent(String component) {
    var regex = new StringBuilder();
    var literal = new StringBuilder();
    boolean isLiteral = true;
    for (int i = 0; i < component.length(); i++) {
      char c = component.charAt(i);
      switch (c) {
        case '*' -> {
          regex.append("[^/]*");
          isLiteral = false;
        }
        case '?' -> {
          regex.append("[^/]");
          isLiteral = false;
        }
        case '[' -> {
          int end = endOfSet(component, i);
          regex.append(set(component.substring(i + 1, end)));
          i = end;
          isLiteral = false;
        }
        case '\\' -> {
          if (++i == component.length())
            throw new IllegalArgumentException(
                "pattern \"" + component + "\" ends with a backslash");
          literal.append(component.charAt(i));
          regex.append(Pattern.quote(String.valueOf(component.charAt(i))));
        }
        default -> {
          literal.append(c);
          regex.append(Pattern.quote(String.valueOf(c)));
        }
      }
    }
    return new Glob(
        literal.toString(), isLiteral, Pattern.compile(regex.toString(), Pattern.DOTALL));
  }

  private static int endOfSet(String component, int start) {
    int i = start + 1;
    if (i < component.length() && component.charAt(i) == '^') i++;
    int first = i;
    while (i < component.length() && (component.charAt(i) != ']' || i == first))
      i += component.charAt(i) == '\\' ? 2 : 1;
    if (i >= component.length())
      throw new IllegalArgumentException(
          "pattern \"" + component + "\" has a \"[\" without its \"]\"");
    return i;
  }

  private static String set(String members) {
    boolean negated = members.startsWith("^");
    var regex = new StringBuilder(negated ? "[^/" : "[");
    String rest = negated ? members.substring(1) : members;
    for (int i = 0; i < rest.length(); i++) {
      char c = rest.charAt(i);
      if (c == '\\' && i + 1 < rest.length()) c = rest.charAt(++i);
      boolean isRange = c == '-' && i > 0 && i < rest.length() - 1;
      if (isRange) regex.append('-');
      else regex.append("\\x{").append(Integer.toHexString(c)).append('}');
    }
    return regex.append(']').toString();
  }

  /// Whether only one name can match.
  public boolean isLiteral() {
    return isLiteral;
  }

  /// That name.
  public String literal() {
    return literal;
  }

  /// Whether a name matches as a whole.
  public boolean matches(String name) {
    return pattern.matcher(name).matches();
  }
}
