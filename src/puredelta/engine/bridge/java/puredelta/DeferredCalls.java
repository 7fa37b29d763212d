package puredelta;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.StringReader;
import java.io.StringWriter;
import py4j.Gateway;
import py4j.Protocol;
import py4j.commands.CallCommand;
import py4j.commands.Command;
import py4j.commands.ConstructorCommand;

/**
 * Several calls of Python in one round trip.
 *
 * Each is a line with the handle that Python gave its answer, then the call as py4j writes it.
 * A call may name the handles of those before it.
 */
public final class DeferredCalls {
  // py4j's answer is !yro12 for an object: a mark, that of success, that of its type, its handle.
  private static final int MARKS = 3;

  private final Gateway gateway;
  private final Command call = new CallCommand();
  private final Command construct = new ConstructorCommand();

  public DeferredCalls(Gateway gateway) {
    this.gateway = gateway;
    call.init(gateway, null);
    construct.init(gateway, null);
  }

  /** Returns py4j's answer to the first call that fails, or else to the last one. */
  public String run(String calls) throws java.io.IOException {
    BufferedReader rest = new BufferedReader(new StringReader(calls));
    String answer = "";
    for (String handle = rest.readLine(); handle != null; handle = rest.readLine()) {
      String kind = rest.readLine();
      StringWriter written = new StringWriter();
      Command command = kind.equals(CallCommand.CALL_COMMAND_NAME) ? call : construct;
      command.execute(kind, rest, new BufferedWriter(written));
      answer = written.toString();
      if (Protocol.isError(answer.substring(1))) break;
      if (handle.isEmpty()) continue;
      // What Python takes for a plain object must not be a text, a number, a list or null.
      if (command == call && answer.charAt(MARKS - 1) != Protocol.REFERENCE_TYPE) {
        // Not the calls themselves: the options of a table, which may be among them, hold passwords.
        throw new IllegalStateException(handle + ", which a call that waited was to give, is no plain object");
      }
      rename(answer.trim().substring(MARKS), handle);
    }
    return answer;
  }

  /** Does nothing; the calls that wait are made before it, as before any other call. */
  public void settle() {}

  private void rename(String id, String handle) {
    gateway.putObject(handle, gateway.getObject(id));
    gateway.deleteObject(id);
  }
}
