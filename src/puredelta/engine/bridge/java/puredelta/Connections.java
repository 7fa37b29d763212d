package puredelta;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.locks.Lock;
import py4j.CallbackClient;
import py4j.ClientServerConnection;
import py4j.Gateway;
import py4j.Py4JPythonClient;
import py4j.PythonClient;

/**
 * The connections over which threads of the JVM call Python: each is lent to one thread after the other.
 *
 * py4j opens one for each thread, and keeps it, and a thread of Python with it, when the thread has ended. Servers of
 * Spark run each statement on a thread of its own.
 */
public final class Connections {
  private static final int MOST_IDLE = 32;

  private final Gateway gateway;
  private final LinkedBlockingDeque idle = new LinkedBlockingDeque(MOST_IDLE);
  // py4j has no methods for its list of connections, and lists one again after each call within a call.
  private final Field listed = field("connections"), lock = field("lock");

  public Connections(Gateway gateway) { this.gateway = gateway; }

  /** What a thread has on loan until it returns it. */
  static final class Loan {
    final PythonClient client;
    // py4j holds the connection of a thread by a weak reference.
    final ClientServerConnection connection;

    Loan(PythonClient client, ClientServerConnection connection) {
      this.client = client;
      this.connection = connection;
    }
  }

  /** Lends a connection to this thread; returns null where it has one, as a call within a call does. */
  Loan lend() {
    Py4JPythonClient client = gateway.getCallbackClient();
    // Without pinned threads, py4j itself lends its connections.
    if (!(client instanceof PythonClient)) return null;
    PythonClient lending = (PythonClient) client;
    if (lending.getPerThreadConnection() != null) return null;
    ClientServerConnection connection = (ClientServerConnection) idle.pollLast();
    // Without one, py4j opens it.
    if (connection != null) lending.setPerThreadConnection(connection);
    return new Loan(lending, connection);
  }

  /** Takes back what this thread has now: py4j may have replaced a connection that was broken. */
  void takeBack(Loan loan) {
    if (loan == null) return;
    ClientServerConnection connection = loan.client.getPerThreadConnection();
    loan.client.setPerThreadConnection(null);
    if (connection == null) return;
    removeFromList(loan.client, connection);
    if (connection.getSocket() == null) return;
    if (loan.client != gateway.getCallbackClient() || !idle.offerLast(connection)) connection.shutdown();
  }

  private void removeFromList(PythonClient client, ClientServerConnection connection) {
    try {
      Collection connections = (Collection) listed.get(client);
      Lock held = (Lock) lock.get(client);
      held.lock();
      try {
        while (connections.remove(connection)) {}
      } finally {
        held.unlock();
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Field field(String name) {
    try {
      Field found = CallbackClient.class.getDeclaredField(name);
      found.setAccessible(true);
      return found;
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException("this py4j has no " + name, e);
    }
  }
}
