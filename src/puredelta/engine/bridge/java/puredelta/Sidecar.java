package puredelta;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.*;
import java.util.Map;
import org.apache.spark.*;
import org.apache.spark.api.python.Py4JServer;
import org.apache.spark.scheduler.*;

/**
 * A Python process beside a driver in which none answers, as in the shells and servers of Spark. It is started when it
 * is first needed, joins through Spark's own Py4J server over loopback with a secret, and ends when its input ends,
 * which the end of this JVM does in any case.
 */
final class Sidecar {
  private static final String PYTHON = "spark.puredelta.python";
  private static final String NOT_STARTED = "PUREDELTA_SIDECAR_NOT_STARTED", ENDED = "PUREDELTA_SIDECAR_ENDED";
  private static final long MILLIS_TO_START = 60000, MILLIS_TO_END = 2000;

  private static Py4JServer server;
  private static volatile Process process;
  private static volatile Bridge.Engine answering;
  private static String lastLine = "";

  /** Says whether what is to be asked is a process that has ended since it was last asked. */
  static boolean hasEnded(Bridge.Engine asked) { return asked != null && asked == answering && !process.isAlive(); }

  /** Returns what answers in this JVM, once a Python does. */
  static synchronized Bridge.Engine start() {
    if (hasEnded(Bridge.engine())) Bridge.detach(answering);
    if (Bridge.engine() != null) return Bridge.engine();
    // An executor has no context.
    if (SparkContext$.MODULE$.getActive().isEmpty()) throw new IllegalStateException("No Python process answers for puredelta in this JVM.");
    SparkContext spark = (SparkContext) SparkContext$.MODULE$.getActive().get();
    String python = python(spark.getConf());
    try {
      if (server == null) startServer(spark.getConf());
      process = command(python).start();
      spark.addSparkListener(endWithContext(process));
    } catch (IOException e) {
      throw notStarted(python, e.getMessage());
    }
    passOnOutput(process);
    waitForAnswer(python);
    answering = Bridge.engine();
    return answering;
  }

  /** Returns what to throw when a question got no answer: the process may have ended in the middle of it. */
  static synchronized RuntimeException unanswered(Bridge.Engine asked, RuntimeException failure) {
    if (process == null || !hasEnded(MILLIS_TO_END)) return failure;
    Bridge.detach(asked);
    return failed(ENDED, Bridge.object().put("code", String.valueOf(process.exitValue())).put("output", lastLine),
        "The Python process that runs Delta statements in this JVM ended in the middle of one (exit code "
            + process.exitValue() + "; its last line: " + lastLine + ").\n"
            + "What had been committed stays, nothing else was changed. Run the statement again: a new process is started.");
  }

  /** The threads of the server are daemons, as the thread that starts them is: they keep no program from ending. */
  private static void startServer(final SparkConf conf) {
    Thread starting = new Thread("puredelta-sidecar-server") {
      public void run() {
        Py4JServer started = new Py4JServer(conf);
        started.start();
        server = started;
      }
    };
    starting.setDaemon(true);
    starting.start();
    try {
      starting.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while puredelta's Python process started", e);
    }
  }

  /** PySpark works in one context: the next one gets a process of its own. */
  private static SparkListenerInterface endWithContext(final Process running) {
    return new SparkListener() {
      public void onApplicationEnd(SparkListenerApplicationEnd end) {
        running.destroy();
        Bridge.detach(answering);
      }
    };
  }

  private static String python(SparkConf conf) {
    String named = conf.get(PYTHON, conf.get("spark.pyspark.driver.python", ""));
    if (!named.isEmpty()) return named;
    Map environment = System.getenv();
    for (String name : new String[] {"PYSPARK_DRIVER_PYTHON", "PYSPARK_PYTHON"}) {
      if (environment.containsKey(name)) return (String) environment.get(name);
    }
    return "python3";
  }

  private static ProcessBuilder command(String python) {
    ProcessBuilder builder = new ProcessBuilder(new String[] {python, "-m", "puredelta.sidecar"});
    Map environment = builder.environment();
    // The names under which PySpark finds a server that runs already.
    environment.put("PYSPARK_GATEWAY_PORT", String.valueOf(server.getListeningPort()));
    environment.put("PYSPARK_GATEWAY_SECRET", server.secret());
    environment.put("PUREDELTA_ADAPTERS", Bridge.sources());
    environment.put("PYTHONPATH", pythonPath((String) environment.get("PYTHONPATH"), System.getenv("SPARK_HOME")));
    builder.redirectErrorStream(true);
    return builder;
  }

  /** Spark's own PySpark comes last: it is for a Python in which none is installed. */
  private static String pythonPath(String own, String sparkHome) {
    StringBuilder path = new StringBuilder(own == null ? "" : own);
    File[] archives = sparkHome == null ? null : new File(sparkHome, "python/lib").listFiles();
    for (int i = 0; archives != null && i < archives.length; i++) {
      if (!archives[i].getName().endsWith(".zip")) continue;
      if (path.length() > 0) path.append(File.pathSeparator);
      path.append(archives[i]);
    }
    return path.toString();
  }

  private static void waitForAnswer(String python) {
    long end = System.currentTimeMillis() + MILLIS_TO_START;
    while (Bridge.engine() == null) {
      if (hasEnded(20)) throw notStarted(python, lastLine);
      if (System.currentTimeMillis() > end) {
        process.destroy();
        throw notStarted(python, "it did not answer within " + MILLIS_TO_START / 1000 + " s");
      }
    }
  }

  private static boolean hasEnded(long millis) {
    try {
      return process.waitFor(millis, java.util.concurrent.TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      process.destroy();
      throw new IllegalStateException("interrupted while puredelta's Python process started", e);
    }
  }

  private static void passOnOutput(final Process running) {
    Thread passing = new Thread("puredelta-sidecar-output") {
      public void run() {
        try {
          BufferedReader lines = new BufferedReader(new InputStreamReader(running.getInputStream(), "UTF-8"));
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.err.println(line);
            if (!line.trim().isEmpty()) lastLine = line;
          }
        } catch (IOException e) {
          // The process has ended.
        }
      }
    };
    passing.setDaemon(true);
    passing.start();
  }

  private static RuntimeException notStarted(String python, String reason) {
    return failed(NOT_STARTED, Bridge.object().put("python", python).put("reason", reason),
        "Delta statements need a Python process beside this JVM, and " + python + " -m puredelta.sidecar did not start: "
            + reason + "\nSet spark.puredelta.python to a Python in which `pip install puredelta` was run.");
  }

  private static RuntimeException failed(String condition, ObjectNode parameters, String text) {
    ObjectNode failure = Bridge.object().put("condition", condition).put("sqlState", "56038");
    failure.put("message", "[" + condition + "] " + text).put("kind", "runtime").set("parameters", parameters);
    return Failures.of(failure);
  }
}
